export { adapter } from '../../infrastructure/system/adapter.js';
