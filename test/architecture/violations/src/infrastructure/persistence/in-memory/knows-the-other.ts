export { table } from '../typeorm/table.js';
