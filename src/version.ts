/** The version of this package, which the service's log shows. A test keeps it equal to package.json's. */
export const VERSION = '0.1.0'
