import { useAddress } from '../address/use-address.js'
import { PageFoot, type PageInfo } from './page-foot.js'

const PAGE_SIZE = 50

/** Reads the page of a plain list from the address. */
export const usePage = () => {
  const address = useAddress()
  const after = address.get('after') ?? null
  const before = address.get('before') ?? null
  return before === null ? { first: PAGE_SIZE, after } : { last: PAGE_SIZE, before }
}

export const Pager = ({ info }: { info: PageInfo }) => {
  const address = useAddress()
  if (!info.hasNextPage && !info.hasPreviousPage) return null
  return <PageFoot info={info} onMove={address.set} />
}
