import type { Environment } from '../settings.js'
import type { OtlpSpan, ReadableSpan, SpanResource, SpanScope } from './readable-span.js'
import { recordsIn, requestOf } from './request.js'
import { allAttributesOf } from './values.js'

interface Origin {
  resource: SpanResource
  scope: SpanScope | undefined
}

/** Time in which a resource finds out its last attributes. */
const MAX_WAIT_MS = 2000

/** The resources and instrumentations that spans come from: each is written once for all of its spans in a request. */
export class Origins {
  readonly #list: Origin[] = []
  readonly #numbers = new Map<SpanResource, Map<SpanScope | undefined, number>>()
  readonly #environment: Environment | undefined
  #pending: Promise<unknown> | undefined

  constructor(environment: Environment | undefined) {
    this.#environment = environment
  }

  /** Returns the number of a span's origin. */
  of({ resource, instrumentationScope, instrumentationLibrary }: ReadableSpan): number {
    const scope = instrumentationScope ?? instrumentationLibrary
    let ofResource = this.#numbers.get(resource)
    if (ofResource === undefined) {
      ofResource = new Map()
      this.#numbers.set(resource, ofResource)
      this.#awaitAttributes(resource)
    }
    let number = ofResource.get(scope)
    if (number === undefined) {
      number = this.#list.push({ resource, scope }) - 1
      ofResource.set(scope, number)
    }
    return number
  }

  /** Resolves when the resources have their attributes, or have not found them out for too long. */
  async known(): Promise<unknown> {
    return this.#pending
  }

  /** Converts the body of a batch of spans into a request, in OTLP/JSON. */
  write(body: Uint8Array): Uint8Array {
    const spans = new Map<number, OtlpSpan[]>()
    for (const { span, origin } of recordsIn<{ span: OtlpSpan; origin: number }>(body)) {
      const known = spans.get(origin)
      if (known === undefined) spans.set(origin, [span])
      else known.push(span)
    }
    const resourceSpans = [...spans].map(([number, of]) => {
      const { resource, scope } = this.#list[number] as Origin
      return {
        resource: { attributes: allAttributesOf(this.#attributesOf(resource)) },
        ...urlOf(resource),
        scopeSpans: [
          { scope: { name: scope?.name, version: scope?.version }, spans: of, ...urlOf(scope) },
        ],
      }
    })
    return requestOf(resourceSpans)
  }

  #attributesOf({ attributes }: SpanResource): Readonly<Record<string, unknown>> {
    return this.#environment === undefined
      ? attributes
      : { ...attributes, 'deployment.environment.name': this.#environment }
  }

  #awaitAttributes(resource: SpanResource): void {
    if (resource.asyncAttributesPending !== true) return
    const found = resource.waitForAsyncAttributes?.()
    if (found === undefined) return
    const bounded = new Promise((resolve) => {
      const timer = setTimeout(resolve, MAX_WAIT_MS)
      found.then(resolve, resolve).finally(() => clearTimeout(timer))
    })
    this.#pending = Promise.all([this.#pending, bounded])
  }
}

const urlOf = ({ schemaUrl }: { schemaUrl?: string | undefined } = {}): { schemaUrl?: string } =>
  schemaUrl === undefined ? {} : { schemaUrl }
