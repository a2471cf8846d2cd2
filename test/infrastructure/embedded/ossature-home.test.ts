import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ossatureHome } from '../../../src/infrastructure/persistence/embedded/ossature-home.js';

describe('ossatureHome', () => {
  // prettier-ignore
  it.each([
    { rule: 'the named home wins',                env: { OSSATURE_HOME: '/data', HOME: '/u', XDG_DATA_HOME: '/x' }, platform: 'linux',  home: '/data' },
    { rule: 'a relative home is made absolute',   env: { OSSATURE_HOME: 'data' },                                   platform: 'linux',  home: resolve('data') },
    { rule: 'an empty home is none',              env: { OSSATURE_HOME: '', HOME: '/u' },                           platform: 'linux',  home: '/u/.local/share/ossature' },
    { rule: 'Linux has XDG_DATA_HOME',            env: { HOME: '/u', XDG_DATA_HOME: '/x' },                         platform: 'linux',  home: '/x/ossature' },
    { rule: 'a relative XDG_DATA_HOME is invalid', env: { HOME: '/u', XDG_DATA_HOME: 'x' },                         platform: 'linux',  home: '/u/.local/share/ossature' },
    { rule: 'macOS has Application Support',      env: { HOME: '/u' },                                              platform: 'darwin', home: '/u/Library/Application Support/ossature' },
    { rule: 'Windows has LOCALAPPDATA',           env: { LOCALAPPDATA: '/l' },                                      platform: 'win32',  home: '/l/ossature' },
    { rule: 'without HOME the account knows it',  env: {},                                                          platform: 'linux',  home: join(homedir(), '.local/share/ossature') },
  ] as const)('$rule', ({ env, platform, home }) => {
    expect(ossatureHome(env, platform)).toBe(home);
  });
});
