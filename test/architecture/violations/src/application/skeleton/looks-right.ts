export { service } from '../plan/service.js';
