/** Every reader of ours, in no order that matters: one format fits, or the user says which. */
import type { TranscriptReader } from '../../application/session/transcript-reader.js';
import type { Digest, TokenCounter } from '../../domain/kernel/measures.js';
import { anthropicReader } from './anthropic-transcript.js';
import { claudeCodeReader } from './claude-code-transcript.js';
import { codexReader } from './codex-transcript.js';
import { langchainReader } from './langchain-transcript.js';
import { openaiReader } from './openai-transcript.js';
import { textReader } from './text-transcript.js';

/**
 * @param digest names records that have no id of their own.
 * @param counter measures notes without speakers.
 */
export function transcriptReaders(
  digest: Digest,
  counter: TokenCounter,
): readonly TranscriptReader[] {
  return [
    claudeCodeReader(digest),
    codexReader(digest),
    openaiReader(digest),
    anthropicReader(digest),
    langchainReader(digest),
    textReader({ digest, counter }),
  ];
}
