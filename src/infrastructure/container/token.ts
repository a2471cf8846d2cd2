/**
 * Tokens that carry the type of what they stand for, and a `provide` whose dependencies the compiler
 * checks: two tokens in the wrong order do not compile. This folder is the only one that knows Inversify.
 */
import type { ContainerModuleLoadOptions } from 'inversify';

declare const provides: unique symbol;

/** Identifies a service in the container. A string or a registered symbol, so that two installed copies agree. */
export type Token<Service> = (string | symbol) & { readonly [provides]: Service };

type Instances<Needs extends readonly Token<unknown>[]> = {
  [Index in keyof Needs]: Needs[Index] extends Token<infer Service> ? Service : never;
};

export function token<Service>(name: string): Token<Service> {
  return Symbol.for(`ossature/${name}`) as symbol & Token<Service>;
}

/** A token under a bare string, for a service that hosts know by this very name. */
export function namedToken<Service>(name: string): Token<Service> {
  return name as string & Token<Service>;
}

type Binder = Pick<ContainerModuleLoadOptions, 'bind'>;

/** Binds a service to a function of its dependencies, made once. */
export function provide<Service, const Needs extends readonly Token<unknown>[]>(
  { bind }: Binder,
  what: Token<Service>,
  needs: Needs,
  make: (...instances: Instances<Needs>) => Service,
): void {
  bind<Service>(what)
    .toResolvedValue(make as (...instances: unknown[]) => Service, [...needs] as never)
    .inSingletonScope();
}

/** `provide` in place of what the token stood for so far: for a host's own modules. */
export function replace<Service, const Needs extends readonly Token<unknown>[]>(
  { rebind }: Pick<ContainerModuleLoadOptions, 'rebind'>,
  what: Token<Service>,
  needs: Needs,
  make: (...instances: Instances<Needs>) => Service,
): void {
  provide({ bind: rebind }, what, needs, make);
}

/** Binds a value that was made outside, such as an open store. */
export function provideValue<Service>(
  { bind }: Binder,
  what: Token<Service>,
  value: Service,
): void {
  bind<Service>(what).toConstantValue(value);
}
