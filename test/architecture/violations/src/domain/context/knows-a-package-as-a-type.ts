export type { ZodType } from 'zod';
