import { broken, type Finding, ok } from '../check.js'

const [LEAST_MAJOR, LEAST_MINOR] = [20, 19]

/** Checks the version of Node, which `engines` of the package asks for. */
export const nodeVersion = (version: string): Finding => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > LEAST_MAJOR || (major === LEAST_MAJOR && minor >= LEAST_MINOR)
    ? ok(`Node ${version}`)
    : broken(
        `Node ${version} is older than ${LEAST_MAJOR}.${LEAST_MINOR}`,
        `install Node ${LEAST_MAJOR}.${LEAST_MINOR} or newer, such as: nvm install --lts`,
      )
}
