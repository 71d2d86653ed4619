/** The answer of the service as it came, with the contract's own names, whatever the spelling of the call. */
export interface RawResult<Data> {
  /** The fields of the answer by the names of the schema. */
  data: Data
}

/** An id, bare or in an object. */
export type IdParam =
  | string
  | {
      /** The id. */
      id: string
    }

export const idOf = (param: IdParam): string => (typeof param === 'string' ? param : param.id)
