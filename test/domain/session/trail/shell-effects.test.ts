import { describe, expect, it } from '@jest/globals';
import { shellArtifacts } from '../../../../src/domain/session/trail/shell-effects.js';
import { bash, eventLines, trailOf } from './trail-support.js';

const effects = (command: string): readonly [string, ...string[]] => {
  const { effects: known } = shellArtifacts(command, null);
  const { events } = trailOf([bash(command)]);
  return [known, ...eventLines(events)];
};

describe('effects of a shell command', () => {
  it.each<[string, string[]]>([
    ['rm a.txt', ['known', 'deleted a.txt']],
    ['rm -f -- -a "b c"', ['known', 'deleted -a', 'deleted b c']],
    ['sudo rm -rf build', ['known', 'deleted build']],
    ['mv a b', ['known', 'renamed a → b']],
    ['mv a b dir/', ['known', 'renamed a → dir/a', 'renamed b → dir/b']],
    ['git mv src/a.ts src/b.ts', ['known', 'renamed src/a.ts → src/b.ts']],
    ['git rm a.ts', ['known', 'deleted a.ts']],
    ['git rm --cached a.ts', ['none']],
    ['cp a b', ['known', 'read a', 'created b']],
    ['touch a', ['known', 'created a']],
    ['mkdir -p a/b', ['known', 'created a/b']],
    ['echo x > a', ['known', 'created a']],
    ['echo x >> a 2>&1', ['known', 'created a']],
    ['make > build.log 2>&1', ['unknown', 'created build.log']],
    ['ls > /dev/null 2>&1', ['none']],
    ['cat a | tee b c', ['known', 'read a', 'created b', 'created c']],
    ["sed -i 's/a/b/' x.ts y.ts", ['known', 'modified x.ts', 'modified y.ts']],
    ["sed -i '' -e s/a/b/ x.ts", ['known', 'modified x.ts']],
    ["sed -n '10,20p' x.ts", ['known', 'read x.ts 10-20']],
    ["sed -n '10,$p' x.ts", ['known', 'read x.ts 10-']],
    ['cat a b', ['known', 'read a', 'read b']],
    ['head -n 20 a', ['known', 'read a 1-20']],
    ['head -5 a && tail -n 5 b', ['known', 'read a 1-5', 'read b']],
    ['grep -rn x src | sort < names', ['known', 'read names']],
    ['cd src && rm a.ts', ['known', 'deleted src/a.ts']],
    ['(cd src && rm a.ts); rm b.ts', ['known', 'deleted src/a.ts', 'deleted b.ts']],
    ['cd /project/src; cat ../a', ['known', 'read a']],
    ['bash -lc "rm a && touch b"', ['known', 'deleted a', 'created b']],
    ["cat > a.txt <<'EOF'\nrm b\nEOF\nrm c", ['known', 'created a.txt', 'deleted c']],
    ['ls -la; git status', ['none']],
    ["git commit -m \"$(cat <<'EOF'\nfeat: don't (yet\nEOF\n)\" && rm a", ['known', 'deleted a']],
    ['npm test', ['unknown']],
    ['rm $FILE', ['unknown']],
    ['rm *.log', ['unknown']],
    ['rm "$(cat list)" && touch a', ['unknown', 'created a']],
    ['cat ~/notes', ['unknown']],
    ['touch {a,b}', ['unknown']],
    ['for f in a b; do rm $f; done', ['unknown']],
    ['if [ -f a ]; then rm a; fi', ['unknown']],
    ['test -f a || touch a', ['unknown']],
    ['cat a || true', ['known', 'read a']],
    ['cd $DIR && rm a', ['unknown']],
    ["rm 'a", ['unknown']],
    ['find . -name x -delete', ['unknown']],
    ['echo "a > b" # rm c', ['none']],
    ['A=1 touch a', ['known', 'created a']],
    ['diff <(sort a) b', ['none']],
    ['', ['none']],
  ])('%s', (command, expected) => {
    expect(effects(command)).toEqual(expected);
  });

  it('are inferred, for they are read off words', () => {
    const { events } = trailOf([bash('cat a'), bash('cd src && rm a')]);
    expect(events.every(({ inferred }) => inferred)).toBe(true);
  });

  it('of a failed command are failed events', () => {
    const { events, trail } = trailOf([bash('rm a', { isError: true, exitCode: 1 })]);
    expect(eventLines(events)).toEqual(['deleted a failed']);
    expect(trail.artifacts.size).toBe(0);
  });

  it('touch and mkdir leave alone what is there', () => {
    const { events } = trailOf([bash('cat d/a'), bash('touch d/a && mkdir -p d')]);
    expect(eventLines(events)).toEqual(['read d/a']);
  });

  it('take a script of any length in time', () => {
    const script = `cat > a <<'EOF'\n${'x "y\n'.repeat(100_000)}EOF\n`;
    expect(effects(script)).toEqual(['known', 'created a']);
  });
});
