/** What a model said, and what it thought before. */
export interface AgentMessage {
  readonly type: "agentMessage";
  readonly id: string;
  readonly text: string;
}

export interface Reasoning {
  readonly type: "reasoning";
  readonly id: string;
  readonly summary: readonly string[];
  readonly content: readonly string[];
}
