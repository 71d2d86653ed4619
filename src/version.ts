/** The version of this package, which the service's log shows. `npm run manifests` takes it from package.json. */
export const VERSION = '0.1.0'
