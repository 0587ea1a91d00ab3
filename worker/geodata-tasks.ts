/** The task of the geodata worker. */
export { checkWhole } from '../geodata/check.ts';
