import { useEffect } from 'react'
import { GetRepricingDocument, type PricesSectionQuery } from '../../../../generated/operations.js'
import { useData } from '../../../data/use-data.js'

const EVERY_MS = 1000

/** Returns the last run of `reprice`, and asks again while it goes on. */
export const useRepricing = (last: PricesSectionQuery['repricing']) => {
  const { data, refresh } = useData(GetRepricingDocument, {})
  const run = data === undefined ? last : data.repricing
  const isRunning = run !== null && run.endedAt === null
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(refresh, EVERY_MS)
    return () => clearInterval(timer)
  }, [isRunning, refresh])
  return { run, refresh }
}
