/**
 * The grader without a model: a pure function of probe, answer and texts. It gives the marks that rules
 * can give and says of the others that it cannot; text without facts, repetition and order of sentences
 * change nothing.
 *
 * It does not see paraphrase without the identifier, negation, sarcasm, or whether a reason is sound.
 */
import { expandPathLists } from '../../session/trail/path-list.js';
import { identifiersOf, type KnownTexts } from '../../session/summary/identifiers.js';
import { criteriaOf, type CriterionId } from '../criteria.js';
import { type Fact, type FactTopic, isOfPaths, valuesOf } from '../fact.js';
import type { Probe } from '../probe.js';
import { foldLines, foldText, holdsToken } from './find-token.js';
import type { FactFinding, Mark } from './mark.js';
import { matchFact } from './match-fact.js';
import { pathForms } from './named-paths.js';

/** Said in every report that holds marks of the grader. */
export const GRADER_LIMITS: readonly string[] = [
  'paraphrase without the identifier',
  'negation',
  'sarcasm',
  'whether a reason is sound',
];

export interface GradingTexts {
  /** Span and tail: what an answer may name without having made it up. */
  readonly known: KnownTexts;
  /** Paths of the session, by which a bare file name is understood. */
  readonly knownPaths: readonly string[];
}

export interface GradedAnswer {
  readonly marks: readonly Mark[];
  readonly findings: readonly FactFinding[];
}

/** A made-up or wrong identifier costs this much (specification of evaluation, §3 and §5). */
const WRONG_COSTS = 2;

/** A file without its change is at most this. */
const WITHOUT_CHANGE = 3;

export function gradeAnswer(probe: Probe, answer: string, texts: GradingTexts): GradedAnswer {
  // An answer may tell files in the form in which summaries list them.
  const text = expandPathLists(answer.normalize('NFC'));
  const findings = probe.facts.map((fact): FactFinding => ({
    factId: fact.factId,
    ...matchFact(fact, text, texts),
  }));
  const graded: Graded = { probe, text, findings, texts };
  return {
    findings,
    marks: criteriaOf(probe.type).map(({ criterionId }) => {
      const { share, reason } = RULES[criterionId](graded);
      const score = share === null ? null : Math.round(Math.max(0, Math.min(1, share)) * 50) / 10;
      return { criterionId, score, reason, origin: 'grader' };
    }),
  };
}

interface Graded {
  readonly probe: Probe;
  readonly text: string;
  readonly findings: readonly FactFinding[];
  readonly texts: GradingTexts;
}

/** Share of the full mark; null where the rule cannot tell. */
interface Verdict {
  readonly share: number | null;
  readonly reason: string;
}

type Rule = (graded: Graded) => Verdict;

const needsUnderstanding: Rule = () => ({ share: null, reason: 'needs understanding' });

const RULES: Readonly<Record<CriterionId, Rule>> = {
  accuracy_factual: factual,
  accuracy_technical: technical,
  context_conversation_state: needsUnderstanding,
  context_artifact_state: ofTopics(
    [
      'file-state',
      'files-created',
      'files-modified',
      'files-read',
      'files-deleted',
      'files-renamed',
    ],
    'states of artifacts',
  ),
  artifact_files_created: ofTopics(['files-created'], 'created files'),
  artifact_files_modified: modifiedFiles,
  artifact_key_details: ofTopics(['key-details'], 'details'),
  completeness_coverage: coverage,
  completeness_depth: needsUnderstanding,
  continuity_work_state: needsUnderstanding,
  continuity_todo_state: ofTopics(['todos'], 'todos'),
  continuity_reasoning: needsUnderstanding,
  instruction_format: format,
  instruction_constraints: constraints,
};

function factual({ findings }: Graded): Verdict {
  const judged = judgedOf(findings);
  if (judged.length === 0)
    return { share: null, reason: 'the probe has no fact that rules can judge' };
  const contradicted = findings.filter((one) => one.contradicted).length;
  const against = contradicted === 0 ? '' : `, ${contradicted} contradicted`;
  return {
    share: meanOf(judged),
    reason: `${judged.filter((value) => value === 1).length} of ${judged.length} facts are whole${against}`,
  };
}

function technical({ probe, text, findings, texts }: Graded): Verdict {
  if (text.trim() === '') return { share: 0, reason: 'the answer is empty' };
  const named = factTexts(probe.facts);
  const madeUp = identifiersOf(text).filter(
    (identifier) =>
      !texts.known.holds(identifier) &&
      !named.some((known) => holdsToken(known, identifier.text)) &&
      !texts.knownPaths.some((path) => pathForms(path).full.endsWith(`/${identifier.text}`)),
  );
  // A path that is no member, a number in another's place: named and wrong.
  const wrong = probe.facts.flatMap((fact) => {
    const finding = findings.find(({ factId }) => factId === fact.factId);
    const counts = isOfPaths(fact) || finding?.contradicted === true;
    return counts ? (finding?.superfluous ?? []) : [];
  });
  const faults = new Set([...madeUp.map((one) => one.text), ...wrong]);
  return {
    share: 1 - (WRONG_COSTS * faults.size) / 5,
    reason:
      faults.size === 0
        ? 'no identifier is wrong or made up'
        : `wrong or made up: ${[...faults].slice(0, 5).join(', ')}`,
  };
}

function modifiedFiles(graded: Graded): Verdict {
  const files = topicShare(graded, ['files-modified']);
  if (files === null) return { share: null, reason: 'the probe has no fact on modified files' };
  const details = topicShare(graded, ['key-details']);
  const isCapped = details === 0 && files > WITHOUT_CHANGE / 5;
  return {
    share: isCapped ? WITHOUT_CHANGE / 5 : files,
    reason: isCapped ? 'files without what changed' : `${percent(files)} of the modified files`,
  };
}

function coverage({ probe, findings }: Graded): Verdict {
  const required = new Set(probe.facts.filter((fact) => fact.required).map(({ factId }) => factId));
  const judged = judgedOf(findings.filter(({ factId }) => required.has(factId)));
  if (judged.length === 0) return { share: null, reason: 'the probe has no required fact' };
  const share = meanOf(judged);
  return { share, reason: `${percent(share)} of the required facts` };
}

/** Tolerant of words around the values, so that text without facts changes nothing. */
function format({ probe, text, findings }: Graded): Verdict {
  if (probe.format === null) return { share: null, reason: 'the probe asks for no form' };
  const found = findings.flatMap((finding) => finding.found);
  if (found.length === 0) return { share: 0, reason: 'nothing that was asked for is there' };
  if (probe.format === 'single-value') {
    const superfluous = findings.flatMap((finding) => finding.superfluous);
    const isAlone = superfluous.length === 0;
    return { share: isAlone ? 1 : 0, reason: isAlone ? 'one value' : 'several values' };
  }
  const lines = foldText(text).split('\n');
  const held = lines.map((line) => found.filter((member) => isOnLine(line, member)).length);
  const used = held.filter((count) => count > 0);
  // Members that a line break parts are on no line; they are in a form of their own.
  if (used.length === 0) return { share: 1, reason: 'one a line' };
  const share = used.filter((count) => count === 1).length / used.length;
  return { share, reason: `${percent(share)} of the lines hold one` };
}

function isOnLine(line: string, member: string): boolean {
  const { full, name } = pathForms(member);
  return holdsToken(line, foldLines(full)) || (name !== null && holdsToken(line, name));
}

function constraints({ probe, text }: Graded): Verdict {
  if (probe.forbidden.length === 0) {
    return { share: null, reason: 'the probe has no constraint that can be checked' };
  }
  const folded = foldLines(text);
  const broken = probe.forbidden.filter((one) => holdsToken(folded, foldLines(one)));
  if (text.trim() === '') return { share: 0, reason: 'the answer is empty' };
  return {
    share: broken.length === 0 ? 1 : 0,
    reason: broken.length === 0 ? 'none is broken' : `broken: ${broken.join(', ')}`,
  };
}

function ofTopics(topics: readonly FactTopic[], what: string): Rule {
  return (graded) => {
    const share = topicShare(graded, topics);
    return share === null
      ? { share: null, reason: `the probe has no fact on ${what}` }
      : { share, reason: `${percent(share)} of the ${what}` };
  };
}

function topicShare({ probe, findings }: Graded, topics: readonly FactTopic[]): number | null {
  const wanted = new Set(
    probe.facts.filter(({ topic }) => topics.includes(topic)).map(({ factId }) => factId),
  );
  const judged = judgedOf(findings.filter(({ factId }) => wanted.has(factId)));
  return judged.length === 0 ? null : meanOf(judged);
}

function judgedOf(findings: readonly FactFinding[]): readonly number[] {
  return findings.flatMap(({ value }) => value ?? []);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function factTexts(facts: readonly Fact[]): readonly string[] {
  return facts
    .flatMap((fact) => [...valuesOf(fact), ...fact.aliases, ...fact.options, fact.subject ?? ''])
    .map(foldLines);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
