import { two } from './two.js';
export const one = (): number => two();
