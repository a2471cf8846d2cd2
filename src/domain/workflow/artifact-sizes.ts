/** What an artifact takes of its budget, item by item, so that a refusal says where the tokens are. */
import type { TokenCounter } from '../kernel/measures.js';
import type { Artifact } from './artifact.js';
import { renderForReading, renderItemForReading } from './render-artifact.js';

export interface ArtifactSizes {
  /** Of the whole as it is read, headings included. */
  readonly tokens: number;
  readonly budgetTokens: number;
  /** In the order of the artifact. */
  readonly items: readonly { readonly itemId: string; readonly tokens: number }[];
}

export function measureArtifact(
  artifact: Artifact,
  budgetTokens: number,
  counter: TokenCounter,
): ArtifactSizes {
  return {
    tokens: counter.count(renderForReading(artifact)),
    budgetTokens,
    items: artifact.items.map((item) => ({
      itemId: item.itemId,
      tokens: counter.count(renderItemForReading(artifact, item)),
    })),
  };
}

/** Tokens of each stage, and each as a share of the one before; null: there is nothing to compare with. */
export interface StageSizes {
  readonly sourceTokens: number;
  readonly researchTokens: number | null;
  readonly specTokens: number | null;
  readonly researchRatio: number | null;
  readonly specRatio: number | null;
  /** Spec to sources. */
  readonly overallRatio: number | null;
}

export function compareStages(
  sourceTokens: number,
  researchTokens: number | null,
  specTokens: number | null,
): StageSizes {
  const sources = sourceTokens === 0 ? null : sourceTokens;
  return {
    sourceTokens,
    researchTokens,
    specTokens,
    researchRatio: shareOf(researchTokens, sources),
    specRatio: shareOf(specTokens, researchTokens),
    overallRatio: shareOf(specTokens, sources),
  };
}

/** To four places, which is what a person compares. */
function shareOf(part: number | null, whole: number | null): number | null {
  return part === null || whole === null ? null : Math.round((part / whole) * 10_000) / 10_000;
}
