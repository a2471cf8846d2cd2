/** What scoring reads of a fragment; any richer fragment of a host fits. */
export interface ScorableFragment {
  readonly content: string;
  /** Tokens, an integer ≥ 0. */
  readonly tokenCount: number;
  /** What the fragment is, such as `user`, `assistant`, `tool_call`, `tool_result`; read from the text when absent. */
  readonly kind?: string;
  /** Path or address of the artifact a tool call works on; read from the text when absent. */
  readonly artifact?: string;
}
