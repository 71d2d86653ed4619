interface Policies {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ) => { createScriptURL: (url: string) => string }
}

/** Starts a script of the UI in a thread of its own. Browsers with Trusted Types need a policy to load a script. */
export const startWorker = (name: string, url: string): Worker => {
  const policies = (window as { trustedTypes?: Policies }).trustedTypes
  const policy = policies?.createPolicy(name, { createScriptURL: () => url })
  return new Worker(policy?.createScriptURL(url) ?? url, { type: 'module' })
}
