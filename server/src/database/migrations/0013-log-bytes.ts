/** The size of each log record of a span, by which requests know what joining costs before they read. */
export const logBytes = `
ALTER TABLE span_logs ADD COLUMN bytes integer NOT NULL DEFAULT 0;
`
