export type ConfigErrorCode =
  /** The file is there but cannot be read. */
  | "unreadable"
  /** The file is not TOML, or a key in it cannot be meant. */
  | "malformed"
  /** A project file asks for more than the user allows. */
  | "widens";

/** A configuration file could not be used. A missing file is not an error; a broken one always is. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code: ConfigErrorCode;

  constructor(code: ConfigErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
