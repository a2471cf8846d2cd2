import { ContainerModule } from 'inversify';
import { createOssature, replace, SkeletonCompressorService, TOKENS } from 'ossature';

/** A compressor that never inherits more than a fixed number of fragments. */
class ShortSkeletons extends SkeletonCompressorService {
  override compressWeighed: SkeletonCompressorService['compressWeighed'] = (fragments, ratio) =>
    super.compressWeighed(
      [...fragments].sort((a, b) => b.relevance - a.relevance).slice(0, 2),
      ratio,
    );
}

/** The host's modules are loaded last, so what they replace wins; the service keeps its name. */
export async function overrideByModule(): Promise<number> {
  const core = await createOssature({
    store: { kind: 'in-memory' },
    modules: [
      new ContainerModule((options) => {
        replace(
          options,
          TOKENS.skeletonCompressorService,
          [TOKENS.logger], // the compiler checks these against the function below
          (logger) => new ShortSkeletons(logger),
        );
      }),
    ],
  });
  await core.projects.create('harbor');
  const plan = await core.plans.create({ project: 'harbor', goal: 'Fix the login' });
  await core.imports.import(
    plan.planId,
    ['a', 'b', 'c', 'd'].map((id) => ({
      item: 'fragment' as const,
      fragment: { fragmentId: id, content: `text of ${id}`, relevance: 0.5 },
    })),
  );
  const { inherited } = await core.coordinator.spawnChild(plan.planId, {
    goal: 'Go on',
    skeletonRatio: 0,
  });
  await core.close();
  return inherited.length;
}
