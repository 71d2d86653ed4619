import { useId, useState } from 'react'
import { DefinitionsDocument, FacetsDocument } from '../../generated/operations.js'
import { useData } from '../data/use-data.js'
import { Field } from '../ui/field.js'
import { ValueControl } from './value-control.js'

/** The name and value of a score to give, with their fields. Offers the names that the project knows once it is active. */
export const useGivenScore = (isActive = true) => {
  const [name, setName] = useState('')
  const [value, setValue] = useState<number>()
  const [label, setLabel] = useState<string>()
  const listId = useId()
  const definitions = useData(DefinitionsDocument, {}, { pause: !isActive })
  const names = useData(FacetsDocument, { field: 'score', prefix: '' }, { pause: !isActive })
  const known = [
    ...new Set([
      ...(definitions.data?.scoreDefinitions.map((one) => one.name) ?? []),
      ...(names.data?.facets.map((one) => one.value) ?? []),
    ]),
  ]
  const definition = definitions.data?.scoreDefinitions.find((one) => one.name === name)
  /** Returns the score. Throws while no value is chosen. */
  const given = () => {
    if (value === undefined) throw new Error('Choose a value.')
    return { name, value, label: label ?? null }
  }
  const fields = (
    <>
      <Field name="name" label="Name of the score" hint={definition?.description}>
        {(control) => (
          <input
            {...control}
            required
            // biome-ignore lint/a11y/noAutofocus: the dialog's first field
            autoFocus
            list={listId}
            value={name}
            onChange={(event) => {
              setName(event.target.value)
              // The values of another score may be others.
              setValue(undefined)
              setLabel(undefined)
            }}
          />
        )}
      </Field>
      <datalist id={listId}>
        {known.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <ValueControl
        name={name}
        definition={definition}
        value={value}
        onChange={(next, word) => {
          setValue(next)
          setLabel(word)
        }}
      />
    </>
  )
  return { given, fields }
}
