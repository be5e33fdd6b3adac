/** Whether a URL is one that can be asked and holds no secret itself. */
export function isPlainUrl({ protocol, username, password, hash }: URL): boolean {
  return ["http:", "https:"].includes(protocol) && username + password + hash === "";
}

/** Whether what is sent there can be read by everybody on the way. */
export function travelsInTheClear({ protocol, hostname }: URL): boolean {
  const local = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return protocol !== "https:" && !local;
}
