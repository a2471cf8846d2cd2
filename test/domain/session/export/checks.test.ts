import { describe, expect, it } from '@jest/globals';
import { checkAnthropic } from '../../../../src/domain/session/export/check-anthropic.js';
import { checkLangchain } from '../../../../src/domain/session/export/check-langchain.js';
import { checkOpenaiChat } from '../../../../src/domain/session/export/check-openai-chat.js';
import { checkOpenaiResponses } from '../../../../src/domain/session/export/check-openai-responses.js';

const text = (value: string) => ({ type: 'text', text: value });
const user = (...content: readonly object[]) => ({ role: 'user', content });
const agent = (...content: readonly object[]) => ({ role: 'assistant', content });
const use = { type: 'tool_use', id: 'c', name: 'Read', input: {} };
const result = { type: 'tool_result', tool_use_id: 'c', content: 'ok' };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'YQ==' } };

describe('checkAnthropic', () => {
  // prettier-ignore
  it.each([
    { rule: [],                              given: [user(text('hi')), agent(use), user(result, text('and'))] },
    { rule: [],                              given: [{ role: 'user', content: 'hi' }, { role: 'assistant', content: 'hello' }] },
    { rule: ['at-least-one-message'],        given: [] },
    { rule: ['message-is-an-object'],        given: ['hi'] },
    { rule: ['role', 'block-of-the-role'],   given: [user(text('hi')), { role: 'tool', content: [use] }] },
    { rule: ['first-message-is-the-users'],  given: [agent(text('hi'))] },
    { rule: ['roles-alternate'],             given: [user(text('hi')), user(text('hi'))] },
    { rule: ['content-not-empty'],           given: [user()] },
    { rule: ['text-not-empty'],              given: [user(text(' '))] },
    { rule: ['well-formed-text'],            given: [user(text('\uD83D'))] },
    { rule: ['call-answered'],               given: [user(text('hi')), agent(use)] },
    { rule: ['call-answered'],               given: [user(text('hi')), agent(use), user(text('no'))] },
    { rule: ['result-has-its-call'],         given: [user(result)] },
    { rule: ['result-has-its-call'],         given: [user(text('hi')), agent(use), user(result, result)] },
    { rule: ['results-come-first'],          given: [user(text('hi')), agent(use), user(text('so'), result)] },
    { rule: ['call-id-unique'],              given: [user(text('hi')), agent(use, use), user(result)] },
    { rule: ['call-id', 'result-has-its-call'], given: [user(text('hi')), agent({ ...use, id: 'a b' }), user(result)] },
    { rule: ['tool-name'],                   given: [user(text('hi')), agent({ ...use, name: 'a.b' }), user(result)] },
    { rule: ['arguments-are-an-object'],     given: [user(text('hi')), agent({ ...use, input: '{}' }), user(result)] },
    { rule: ['thinking-is-signed'],          given: [user(text('hi')), agent({ type: 'thinking', thinking: 'm' }, text('so'))] },
    { rule: ['ends-in-thinking'],            given: [user(text('hi')), agent({ type: 'thinking', thinking: 'm', signature: 's' })] },
    { rule: ['no-white-space-at-the-end'],   given: [user(text('hi')), agent(text('so '))] },
    { rule: ['failure-not-empty'],           given: [user(text('hi')), agent(use), user({ ...result, content: '', is_error: true })] },
    { rule: ['failure-is-text'],             given: [user(text('hi')), agent(use), user({ ...result, content: [image], is_error: true })] },
    { rule: ['content-not-empty'],           given: [user(text('hi')), agent(use), user({ ...result, content: [] })] },
    { rule: ['result-content'],              given: [user(text('hi')), agent(use), user({ ...result, content: 3 })] },
    { rule: ['media-type'],                  given: [user({ ...image, source: { ...image.source, media_type: 'image/tiff' } })] },
    { rule: ['media-not-empty'],             given: [user({ ...image, source: { ...image.source, data: '' } })] },
    { rule: ['media-have-a-source'],         given: [user({ type: 'image' })] },
  ])('names $rule', ({ rule, given }) => {
    expect(checkAnthropic(given).map((breach) => breach.rule)).toEqual(rule);
  });
});

const called = { id: 'c', type: 'function', function: { name: 'Read', arguments: '{}' } };
const calling = { role: 'assistant', content: null, tool_calls: [called] };
const tool = { role: 'tool', tool_call_id: 'c', content: 'ok' };
const calls = (changed: object) => ({ ...calling, tool_calls: [{ ...called, ...changed }] });

describe('checkOpenaiChat', () => {
  // prettier-ignore
  it.each([
    { rule: [],                             given: [{ role: 'system', content: 'Be brief.' }, calling, tool, { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }] },
    { rule: ['at-least-one-message'],       given: null },
    { rule: ['role'],                       given: [{ role: 'human', content: 'hi' }] },
    { rule: ['content-not-empty'],          given: [{ role: 'user', content: '' }] },
    { rule: ['content-not-empty'],          given: [{ role: 'user', content: [text('')] }] },
    { rule: ['content-not-empty'],          given: [{ role: 'assistant', content: null }] },
    { rule: ['part-of-the-role'],           given: [calling, { ...tool, content: [{ type: 'image_url' }] }] },
    { rule: ['image-has-a-url'],            given: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
    { rule: ['call-answered'],              given: [calling] },
    { rule: ['call-answered', 'result-has-its-call'], given: [calling, { role: 'user', content: 'hi' }, tool] },
    { rule: ['result-has-its-call'],        given: [tool] },
    { rule: ['calls-not-empty', 'content-not-empty'], given: [{ ...calling, tool_calls: [] }] },
    { rule: ['call-id-unique'],             given: [calling, tool, calling, tool] },
    { rule: ['call-id', 'content-not-empty', 'result-has-its-call'], given: [calls({ id: 'c'.repeat(41) }), tool] },
    { rule: ['tool-name'],                  given: [calls({ function: { name: 'a b', arguments: '{}' } }), tool] },
    { rule: ['arguments-are-text'],         given: [calls({ function: { name: 'a', arguments: {} } }), tool] },
  ])('names $rule', ({ rule, given }) => {
    expect(checkOpenaiChat(given).map((breach) => breach.rule)).toEqual(rule);
  });
});

const item = { type: 'function_call', call_id: 'c', name: 'Read', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'c', output: 'ok' };
const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] };

describe('checkOpenaiResponses', () => {
  // prettier-ignore
  it.each([
    { rule: [],                          given: [message, { type: 'reasoning', summary: [] }, item, output, { role: 'assistant', content: 'done' }] },
    { rule: ['item-type'],               given: [{ type: 'tool_use' }] },
    { rule: ['role', 'part-of-the-role'], given: [{ ...message, role: 'tool', content: [{ type: 'text' }] }] },
    { rule: ['content-not-empty'],       given: [{ ...message, content: [] }] },
    { rule: ['content-not-empty'],       given: [{ ...message, content: [{ type: 'input_text', text: '' }] }] },
    { rule: ['image-has-a-url'],         given: [{ ...message, content: [{ type: 'input_image' }] }] },
    { rule: ['call-answered', 'result-has-its-call'], given: [item, message, output] },
    { rule: ['call-answered'],           given: [item] },
    { rule: ['result-has-its-call'],     given: [output] },
    { rule: ['content-not-empty'],       given: [item, { ...output, output: '' }] },
    { rule: ['call-id-unique'],          given: [item, output, item, output] },
    { rule: ['call-id'],                 given: [{ ...item, call_id: '' }] },
    { rule: ['tool-name'],               given: [{ ...item, name: '' }, output] },
    { rule: ['arguments-are-text'],      given: [{ ...item, arguments: {} }, output] },
    { rule: ['reasoning-has-a-summary', 'reasoning-has-its-item'], given: [{ type: 'reasoning' }, message] },
  ])('names $rule', ({ rule, given }) => {
    expect(checkOpenaiResponses(given).map((breach) => breach.rule)).toEqual(rule);
  });
});

const dict = (type: string, fields: object) => ({ type, data: fields });
const ai = dict('ai', { content: '', tool_calls: [{ name: 'Read', args: {}, id: 'c' }] });
const answer = dict('tool', { content: 'ok', tool_call_id: 'c', status: 'success' });
const aiCall = (changed: object) =>
  dict('ai', { content: '', tool_calls: [{ name: 'Read', args: {}, id: 'c', ...changed }] });

describe('checkLangchain', () => {
  // prettier-ignore
  it.each([
    { rule: [],                          given: [dict('human', { content: 'hi' }), ai, answer] },
    { rule: [],                          given: [{ lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'HumanMessage'], kwargs: { content: 'hi' } }] },
    { rule: ['shape'],                   given: [{ lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'Other'], kwargs: {} }] },
    { rule: ['shape'],                   given: [{ role: 'user', content: 'hi' }] },
    { rule: ['content-not-empty'],       given: [dict('human', { content: '' })] },
    { rule: ['content-not-empty'],       given: [dict('human', { content: [text(' ')] })] },
    { rule: ['call-answered'],           given: [ai] },
    { rule: ['call-answered', 'result-has-its-call'], given: [ai, dict('human', { content: 'hi' }), answer] },
    { rule: ['result-has-its-call'],     given: [answer] },
    { rule: ['status'],                  given: [ai, dict('tool', { content: 'ok', tool_call_id: 'c', status: 'fine' })] },
    { rule: ['calls-are-a-list'],        given: [dict('ai', { content: 'x', tool_calls: {} })] },
    { rule: ['call-id-unique'],          given: [ai, answer, ai, answer] },
    { rule: ['tool-name'],               given: [aiCall({ name: '' }), answer] },
    { rule: ['arguments-are-an-object'], given: [aiCall({ args: '{}' }), answer] },
    { rule: ['call-id', 'content-not-empty'], given: [aiCall({ id: null })] },
  ])('names $rule', ({ rule, given }) => {
    expect(checkLangchain(given).map((breach) => breach.rule)).toEqual(rule);
  });
});
