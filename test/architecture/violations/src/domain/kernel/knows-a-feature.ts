export { plan } from '../plan/plan.js';
