export { nothing } from './is-not-there.js';
