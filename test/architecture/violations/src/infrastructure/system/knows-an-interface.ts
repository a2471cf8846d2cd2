export { command } from '../../interfaces/cli/command.js';
