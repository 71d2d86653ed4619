import type { OidcOptions } from '../../identity/options.js'
import { Provider } from '../../identity/provider.js'
import { SignInRefused } from '../../identity/refusal.js'
import { broken, type Finding, messageOf, ok, warning } from './check.js'

const CHECKS = { state: 'doctor', nonce: 'doctor', verifier: 'd'.repeat(43) }

/** Reads the provider's announcement, as the first sign-in does. */
export const providerAnswers = async (
  oidc: OidcOptions,
  publicUrl: string | undefined,
): Promise<Finding[]> => {
  const origin = publicUrl?.replace(/\/+$/, '') ?? 'http://localhost:3000'
  try {
    await new Provider(oidc).begin(`${origin}/api/sign-in/callback`, CHECKS)
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    return [
      broken(
        `people cannot sign in with ${oidc.name}: ${messageOf(error)}`,
        error.reason === 'away'
          ? 'let this machine reach the address of --oidc-issuer, and look there for .well-known/openid-configuration'
          : 'set --oidc-issuer to the issuer exactly as the provider announces it',
      ),
    ]
  }
  return [
    publicUrl === undefined
      ? warning(
          `${oidc.name} answers, and people are sent back to the address of each request`,
          'set --public-url to the address that browsers use, and register it with /api/sign-in/callback at the provider',
        )
      : ok(`${oidc.name} answers; it has to know ${origin}/api/sign-in/callback`),
  ]
}
