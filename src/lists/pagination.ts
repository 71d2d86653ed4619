import type { PageInfo as SchemaPageInfo } from '../../generated/schema.js'
import type { ShapeName } from '../../generated/shapes.js'
import { invalidArgument, StepwellError } from '../errors.js'
import { camelKeys, inSnakeCase, type Snake, toSnake } from '../spelling.js'
import { refuseUnwritable } from '../values/unwritable.js'

export type PageInfo = Pick<
  SchemaPageInfo,
  'startCursor' | 'endCursor' | 'hasNextPage' | 'hasPreviousPage'
>

/** A page of a list. */
export interface Page<Item> {
  /** The items, in the order of the list. */
  data: Item[]
  /** The place of the page in the list, with the cursors of its ends. */
  pageInfo: PageInfo
  /** The number of items that pass the filters, exact up to 10,000 and an estimate beyond; omitted unless asked for. */
  totalCount?: number | null
}

/** Which page of a list to read. */
export interface PageParams {
  /** The number of items to return from the start of the range: 1000 at most. Default: 20. In a walk, the size of a page, default 100. */
  first?: number | null | undefined
  /** The number of items to return from the end of the range. A walk with it starts at the end and goes backwards. */
  last?: number | null | undefined
  /** Only items after this cursor. */
  after?: string | null | undefined
  /** Only items before this cursor: the ones next to it. A walk with it alone goes backwards. */
  before?: string | null | undefined
  /** The number of items of the range to skip first. The cost grows with it; cursors cost the same everywhere. */
  skip?: number | null | undefined
  /** Counts the items that pass the filters. Default: true; a walk never counts. */
  totalCount?: boolean | null | undefined
}

/** A list: call it for a page, or walk over it. */
export interface List<Params extends PageParams, Item> {
  (params?: Params): Promise<Page<Item>>
  /**
   * Walks over all items, whatever their number: reads page after page, one page ahead of you. Rows added or deleted
   * meanwhile make it neither repeat nor skip the others. Backwards (with `last`, or with `before` alone), yields the exact
   * reverse of the list.
   *
   * @returns an iterator over the items, which ends at once when there are none.
   * @throws as the call for a page does, when its page is due.
   * @example
   * for await (const step of stepwell.api.getSteps.all({ first: 500 })) console.log(step.name)
   */
  all(params?: Params): AsyncGenerator<Item, void, undefined>
  /**
   * Walks page by page. The items of a page come in the list's order in both directions.
   *
   * @returns an iterator over the pages; a list without items has one empty page.
   * @throws as the call for a page does, when its page is due.
   * @example
   * for await (const { data } of stepwell.api.getSteps.pages({ first: 500 })) console.log(data.length)
   */
  pages(params?: Params): AsyncGenerator<Page<Item>, void, undefined>
}

/** A list in snake_case. */
export interface SnakeList<Params extends PageParams, Item> {
  (params?: Snake<Params>): Promise<Snake<Page<Item>>>
  /**
   * Walks over all items; see the camelCase form.
   *
   * @returns an iterator over the items, which ends at once when there are none.
   * @throws as the call for a page does, when its page is due.
   * @example
   * for await (const step of stepwell.api.get_steps.all({ first: 500 })) console.log(step.start_time)
   */
  all(params?: Snake<Params>): AsyncGenerator<Snake<Item>, void, undefined>
  /**
   * Walks page by page; see the camelCase form.
   *
   * @returns an iterator over the pages; a list without items has one empty page.
   * @throws as the call for a page does, when its page is due.
   * @example
   * for await (const { page_info } of stepwell.api.get_steps.pages()) console.log(page_info.has_next_page)
   */
  pages(params?: Snake<Params>): AsyncGenerator<Snake<Page<Item>>, void, undefined>
}

const WALK_SIZE = 100

interface Connection<Node> {
  edges: readonly { node: Node }[]
  pageInfo: PageInfo
  totalCount?: number | null
}

/** Converts GraphQL's connection to the page that users get. */
export const toPage = <Node>({ edges, pageInfo, totalCount }: Connection<Node>): Page<Node> => ({
  data: edges.map(({ node }) => node),
  pageInfo,
  ...(totalCount === undefined ? {} : { totalCount }),
})

export const createList = <Params extends PageParams, Item>(
  read: (params: Params) => Promise<Page<Item>>,
): List<Params, Item> => {
  const checked = async (params: Params): Promise<Page<Item>> => {
    if (typeof params !== 'object' || Array.isArray(params))
      throw invalidArgument(`parameters: expected an object, got a ${typeof params}`)
    refuseUnwritable('', params)
    return await read({ ...params, totalCount: params.totalCount ?? undefined })
  }
  const pages = (params?: Params) => walkPages(checked, params ?? ({} as Params))
  return Object.assign((params?: Params) => checked(params ?? ({} as Params)), {
    pages,
    async *all(params?: Params) {
      for await (const page of pages(params)) yield* inWalkOrder(page, params)
    },
  })
}

export const createSnakeList = <Params extends PageParams, Item>(
  list: List<Params, Item>,
  shape: ShapeName,
): SnakeList<Params, Item> => {
  const camel = (params?: Snake<Params>) =>
    typeof params !== 'object' || params === null || Array.isArray(params)
      ? ((params ?? undefined) as unknown as Params)
      : camelKeys<Params>(params)
  const snake = (page: Page<Item>) => snakePage(page, shape)
  return Object.assign(
    async (params?: Snake<Params>) => {
      const page = list(camel(params)).catch((error) => {
        throw inSnakeCase(error)
      })
      return snake(await page)
    },
    {
      all: (params?: Snake<Params>) => map(list.all(camel(params)), (item) => toSnake(item, shape)),
      pages: (params?: Snake<Params>) => map(list.pages(camel(params)), snake),
    },
  )
}

async function* map<Item, Result>(
  items: AsyncGenerator<Item, void, undefined>,
  change: (item: Item) => Result,
): AsyncGenerator<Result, void, undefined> {
  try {
    for await (const item of items) yield change(item as Item) as Awaited<Result>
  } catch (error) {
    throw inSnakeCase(error)
  }
}

const snakePage = <Item>({ data, pageInfo, totalCount }: Page<Item>, shape: ShapeName) =>
  ({
    data: data.map((item) => toSnake(item, shape)),
    page_info: toSnake(pageInfo, 'PageInfo'),
    ...(totalCount === undefined ? {} : { total_count: totalCount }),
  }) as Snake<Page<Item>>

/** Returns the items of a page in the order in which a walk yields them. */
export const inWalkOrder = <Item>({ data }: Page<Item>, params: PageParams | undefined): Item[] =>
  isBackwards(params) ? data.toReversed() : data

/** Returns true when a walk starts at the end. */
const isBackwards = (params: PageParams | undefined): boolean =>
  params?.last != null || (Boolean(params?.before) && !params?.after)

async function* walkPages<Params extends PageParams, Item>(
  read: (params: Params) => Promise<Page<Item>>,
  params: Params,
): AsyncGenerator<Page<Item>, void, undefined> {
  const backwards = isBackwards(params)
  const size = params.last ?? params.first ?? WALK_SIZE
  const at = (
    cursor: string | null | undefined,
    skip: number | null | undefined,
  ): Promise<Page<Item>> => {
    const range = backwards
      ? { first: undefined, last: size, before: cursor ?? params.before }
      : { first: size, last: undefined, after: cursor ?? params.after }
    return read({ ...params, ...range, skip, totalCount: false })
  }
  let next: Promise<Page<Item>> | undefined = at(undefined, params.skip)
  while (next !== undefined) {
    const page: Page<Item> = await next
    const { hasPreviousPage, hasNextPage, startCursor, endCursor } = page.pageInfo
    const cursor = backwards ? startCursor : endCursor
    const more = backwards ? hasPreviousPage : hasNextPage
    if (more && cursor === null)
      throw new StepwellError('the service reported more pages, but no cursor', {
        code: 'NETWORK',
      })
    next = more ? at(cursor, undefined) : undefined
    // A prefetched page may fail before anything awaits it; the error is thrown when the walk reaches it.
    next?.catch(() => undefined)
    yield page
  }
}
