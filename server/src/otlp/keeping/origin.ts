import type { Attributes, ResourceSpans, ScopeSpans } from '../encoding/schema.js'
import { fromMembers } from '../encoding/values.js'
import { firstText } from '../understanding/attributes.js'
import { said } from './said.js'

type Metadata = Readonly<Record<string, unknown>>

/** Metadata that all spans of an origin have, and its length as JSON. */
export interface Shared {
  readonly metadata: Metadata
  readonly characters: number
}

const sharedOf = (metadata: Metadata): Shared => ({
  metadata,
  characters: JSON.stringify(metadata).length,
})

const NONE: Attributes = new Map()
const NAMES = ['service.name', 'service.version']

/** The resource of spans. Converts it once, whatever the number of its spans. */
export class ResourceOrigin {
  readonly attributes: Attributes
  readonly #of: Pick<ResourceSpans, 'resource' | 'schemaUrl'>
  #named: Metadata | undefined
  #whole: Shared | undefined

  constructor(of: Pick<ResourceSpans, 'resource' | 'schemaUrl'>) {
    this.#of = of
    this.attributes = of.resource?.attributes ?? NONE
  }

  /** The few attributes that have names of their own in metadata. */
  get named(): Metadata {
    if (this.#named === undefined) {
      const release = firstText(this.attributes, 'service.version')
      this.#named = Object.fromEntries([
        ...(release === undefined ? [] : [['release', release] as const]),
        ...[...this.attributes].filter(([name]) => NAMES.includes(name)),
      ])
    }
    return this.#named
  }

  get whole(): Shared {
    const { resource, schemaUrl } = this.#of
    this.#whole ??= sharedOf({
      ...(this.attributes.size === 0 ? {} : { 'otel.resource': fromMembers(this.attributes) }),
      ...said({
        'otel.resource.dropped_attributes_count': resource?.droppedAttributesCount,
        'otel.resource.schema_url': schemaUrl,
        'otel.resource.withheld': resource?.withheld,
      }),
    })
    return this.#whole
  }
}

/** The resource and scope of spans. */
export class Origin {
  readonly resource: ResourceOrigin
  readonly #of: Pick<ScopeSpans, 'scope' | 'schemaUrl'>
  #named: Shared | undefined
  #rest: Shared | undefined

  constructor(resource: ResourceOrigin, of: Pick<ScopeSpans, 'scope' | 'schemaUrl'>) {
    this.resource = resource
    this.#of = of
  }

  /** The names of the service, its version, and the scope. */
  get named(): Shared {
    this.#named ??= sharedOf({
      ...this.resource.named,
      ...said({ 'otel.scope.name': this.#of.scope?.name }),
    })
    return this.#named
  }

  /** The length of all that its spans repeat. */
  get characters(): number {
    return this.named.characters + this.rest.characters
  }

  /** The whole resource, and the rest of the scope. */
  get rest(): Shared {
    if (this.#rest === undefined) {
      const { scope, schemaUrl } = this.#of
      const { metadata, characters } = this.resource.whole
      const own = sharedOf({
        ...said({ 'otel.scope.version': scope?.version }),
        ...((scope?.attributes.size ?? 0) === 0
          ? {}
          : { 'otel.scope.attributes': fromMembers(scope?.attributes ?? NONE) }),
        ...said({
          'otel.scope.dropped_attributes_count': scope?.droppedAttributesCount,
          'otel.scope.schema_url': schemaUrl,
          'otel.scope.withheld': scope?.withheld,
        }),
      })
      this.#rest = {
        metadata: { ...metadata, ...own.metadata },
        characters: characters + own.characters,
      }
    }
    return this.#rest
  }
}
