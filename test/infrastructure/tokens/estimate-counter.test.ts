import { describe, expect, it } from '@jest/globals';
import {
  createEstimateCounter,
  ESTIMATE_ERROR,
} from '../../../src/infrastructure/tokens/estimate-counter.js';
import { createO200kCounter } from '../../../src/infrastructure/tokens/o200k-counter.js';

const estimate = createEstimateCounter();
const exact = createO200kCounter();

const SAMPLES = {
  English: `
    The committee met on Tuesday to decide what should happen with the old library. Nobody wanted to
    tear it down, yet the roof had been leaking since 2019 and repairs would cost about $1.4 million.
    "We can't keep postponing this," said the treasurer; the others didn't disagree. After two hours
    they agreed on a compromise: the reading room stays open, the upper floors are closed, and an
    architect will present three alternatives before the end of September.`,
  code: `
    export async function loadSession(store: SessionStore, id: string): Promise<Session | undefined> {
      const row = await store.query('SELECT payload, revision FROM sessions WHERE session_id = $1', [id]);
      if (row === undefined || row.revision < MIN_REVISION) return undefined;
      for (const [index, entry] of row.payload.entries()) {
        if (!isEntry(entry)) throw new TypeError(\`entry \${index} of \${id} is malformed\`);
      }
      return { id, entries: row.payload.map((e) => ({ ...e, at: new Date(e.at * 1000) })) };
    }
    # build.sh
    set -euo pipefail; for f in src/**/*.ts; do node ./scripts/check.mjs --strict "$f" || exit 1; done`,
  Chinese: `
    委员会星期二开会讨论旧图书馆的未来。没有人愿意拆除它，但是屋顶从二〇一九年开始漏水，修理费用大约需要一百四十万元。
    财务主管说：“我们不能再拖延了。”其他人没有反对。经过两个小时的讨论，大家同意保留阅览室，关闭楼上的房间。`,
  Japanese: `
    委員会は火曜日に集まり、古い図書館をどうするか話し合いました。誰も取り壊したくはありませんでしたが、屋根は数年前から雨漏りしています。
    エラーが発生した場合は、設定ファイルを確認してからもう一度実行してください。`,
  Korean: `
    위원회는 화요일에 모여 오래된 도서관을 어떻게 할지 논의했습니다. 아무도 건물을 허물고 싶어 하지 않았지만 지붕은 몇 년 전부터 비가 새고 있었습니다.`,
  emoji: '😀😂🥰😎🤔 🎉🚀🔥✨👏 ❤️💔💯✅❌ 👍🏽🙏🏿👩‍💻👨‍👩‍👧 🇩🇪🇯🇵🇺🇸 🐶🐱🦊🍎🍕🍺 ⚽🎸🏆 ☀️🌧️⛄ 🏠✈️🚲',
};

describe('createEstimateCounter', () => {
  it.each(Object.entries(SAMPLES))('%s is counted within the stated error', (_, text) => {
    const deviation = Math.abs(estimate.count(text) - exact.count(text)) / exact.count(text);
    expect(deviation).toBeLessThanOrEqual(ESTIMATE_ERROR);
  });

  // prettier-ignore
  it.each([
    { rule: 'no text is no token',                   text: '',                  tokens: 0 },
    { rule: 'a space adds next to nothing to a word', text: ' a'.repeat(100),   tokens: 113 },
    { rule: 'digits weigh one for three',            text: '123'.repeat(100),   tokens: 100 },
    { rule: 'a run of spaces weighs one for 100',    text: ' '.repeat(10_000),  tokens: 100 },
    { rule: 'Han weighs 82 hundredths a character',  text: '漢'.repeat(100),    tokens: 82 },
    { rule: 'a short word is one token',             text: 'word',              tokens: 1 },
  ])('$rule', ({ text, tokens }) => {
    expect(estimate.count(text)).toBe(tokens);
  });

  it('carries its own name: its counts are never compared with exact ones', () => {
    expect(estimate.name).not.toBe(exact.name);
  });
});
