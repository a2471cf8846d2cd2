import { OssatureError } from '../../domain/kernel/errors.js';

/** What an unambiguous beginning of an id stands for. */
export async function onlyOne(
  prefix: string,
  what: string,
  find: (prefix: string, limit: number) => Promise<readonly string[]>,
): Promise<string> {
  const wanted = prefix.trim().toUpperCase();
  if (!/^[0-9A-HJKMNP-TV-Z]{1,26}$/.test(wanted)) {
    throw new OssatureError(
      'INVALID_ID',
      `${JSON.stringify(prefix.slice(0, 60))} is no id of a ${what}, nor the beginning of one.`,
      { details: { field: `${what}_id` } },
    );
  }
  const [id, another] = await find(wanted, 2);
  if (id === undefined) {
    throw new OssatureError('NOT_FOUND', `There is no ${what} ${JSON.stringify(prefix)}.`);
  }
  if (another === undefined || id === wanted) return id;
  throw new OssatureError(
    'INVALID_ID',
    `Several ${what}s begin with ${JSON.stringify(prefix)}: give more of the id.`,
    { details: { field: `${what}_id` } },
  );
}
