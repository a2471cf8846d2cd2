/** The way down from an apex that failed, step by step. */
import type { ClaimKind } from './claim.js';

export const DESCENT_STRATEGIES = ['delta-patch', 'delta-jump', 'stepwise'] as const;
export type DescentStrategy = (typeof DESCENT_STRATEGIES)[number];

/** Why a lesson failed, as an oracle says; never the agent's own view. */
export interface Diagnosis {
  readonly category: ClaimKind | null;
  readonly missing: readonly string[];
  readonly wrongStep: string | null;
  /** 0..1. */
  readonly confidence: number;
}

/** What may be tried next. */
export type DescentOption =
  | {
      readonly kind: 'claim';
      readonly label: string;
      readonly text: string;
      readonly fingerprint: string;
      readonly holderId: string;
      /** Of the holder. */
      readonly level: number;
      /** Tokens that it adds: of the claim, or of the holder's body where the strategy jumps. */
      readonly tokens: number;
    }
  | {
      readonly kind: 'child';
      readonly label: string;
      /** Gist of the child: routing reads no body. */
      readonly text: string;
      readonly lessonId: string;
      readonly level: number;
      readonly tokens: number;
    };

export interface ScoredOption {
  readonly option: DescentOption;
  /** 0..1; null: no ranker answered. */
  readonly usefulness: number | null;
  /** 0..1: how often it rescued. */
  readonly prior: number;
  readonly score: number;
}

/** What is put before the agent. */
export interface DescentPack {
  /** The lessons whose bodies it holds: one, or at the end the level-0 lessons. */
  readonly lessonIds: readonly string[];
  /** Claims appended, oldest first. */
  readonly patches: readonly { readonly fingerprint: string; readonly holderId: string }[];
  readonly tokens: number;
}

export type DescentEnd =
  | 'rescued-by-claim'
  | 'rescued-by-child'
  | 'compression-bug'
  | 'knowledge-gap'
  | 'nothing-below'
  | 'corrected';

export interface DescentStep {
  readonly descentId: string;
  /** From 1: the apex's own failure is step 0 and has no row. */
  readonly step: number;
  /** Null: the level-0 lessons of the lineage, tried as such. */
  readonly chosen: ScoredOption | null;
  readonly pack: DescentPack;
  readonly outcome: 'open' | 'failed' | 'succeeded';
  readonly reportedAt: Date | null;
}

export interface Descent {
  readonly descentId: string;
  /** The apex that failed, and its version then. */
  readonly lessonId: string;
  readonly lessonVersion: number;
  readonly projectId: string | null;
  readonly prompt: string;
  readonly episodeId: string | null;
  readonly diagnosis: Diagnosis;
  readonly strategy: DescentStrategy;
  readonly maxExpansions: number;
  readonly maxPackTokens: number;
  /** Patches that are in the pack from the start. */
  readonly startPack: DescentPack;
  readonly status: 'open' | 'closed';
  readonly end: DescentEnd | null;
  /** Labels of options that were not looked at, or did not fit the pack. */
  readonly notConsidered: readonly string[];
  readonly warnings: readonly string[];
  readonly steps: readonly DescentStep[];
  readonly openedAt: Date;
  readonly closedAt: Date | null;
}
