/** A place that answers for models, as its user configured it. */
export interface ModelProvider {
  /** By which a choice names it; `anthropic` speaks its own protocol whatever `wireApi` says. */
  readonly name: string;
  readonly baseUrl: string;
  /** The variable that holds the key; where it is absent, none is sent. */
  readonly envKey?: string;
  readonly wireApi: "responses" | "chat";
  /** Added to the URL of every request. */
  readonly queryParams?: Readonly<Record<string, string>>;
  readonly httpHeaders?: Readonly<Record<string, string>>;
  /** Headers whose values are in variables: the name of each. */
  readonly envHttpHeaders?: Readonly<Record<string, string>>;
}
