/** Words and shapes that the conformance suite looks for. */

const choices = (...names: readonly string[]) =>
  names.map((name) => ({ const: name, title: name }));
const three = ["option1", "option2", "option3"];

/** A form with a default for every kind of member. */
export const WITH_DEFAULTS = {
  type: "object",
  properties: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
  required: [],
};

/** A form with every way to choose. */
export const ENUMS = {
  type: "object",
  properties: {
    untitledSingle: { type: "string", enum: three },
    titledSingle: { type: "string", oneOf: choices("value1", "value2", "value3") },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: three } },
    titledMulti: { type: "array", items: { anyOf: choices("value1", "value2", "value3") } },
  },
  required: [],
};

/** A schema whose keywords must arrive as they are. */
export const JSON_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: {
    address: {
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
  additionalProperties: false,
};

/** What a resource holds. */
export function resourceAt(uri: string) {
  const id = /^test:\/\/template\/(.+)\/data$/.exec(uri)?.[1];
  const words = "This is the content of the static text resource.";
  if (id === undefined) return { uri, mimeType: "text/plain", text: words };
  const held = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: "application/json", text: JSON.stringify(held) };
}

const argument = (name: string) => ({ name, description: `The argument ${name}`, required: true });
const say = (words: string) => ({ type: "text" as const, text: words });

/** Which prompts there are, and what they say. */
export const PROMPTS = {
  list: [
    { name: "test_simple_prompt", arguments: [] },
    { name: "test_prompt_with_arguments", arguments: [argument("arg1"), argument("arg2")] },
    { name: "test_prompt_with_embedded_resource", arguments: [argument("resourceUri")] },
    { name: "test_prompt_with_image", arguments: [] },
  ].map((prompt) => ({ ...prompt, description: `The prompt ${prompt.name}` })),

  messages<Image>(name: string, args: Readonly<Record<string, string>>, image: Image) {
    switch (name) {
      case "test_prompt_with_arguments":
        return [say(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)];
      case "test_prompt_with_embedded_resource": {
        const text = "Embedded resource content for testing.";
        const resource = { uri: args.resourceUri ?? "", mimeType: "text/plain", text };
        const embedded = { type: "resource" as const, resource };
        return [embedded, say("Please process the embedded resource above.")];
      }
      case "test_prompt_with_image":
        return [image, say("Please analyze the image above.")];
      default:
        return [say("This is a simple prompt for testing.")];
    }
  },
};
