import { StepwellError } from '../errors.js'
import type { Transport } from '../transport/transport.js'

export const projectsApi = ({ post }: Transport) => {
  const getProjectId = async (): Promise<string> => {
    const answer = await post('/api/my-project', {})
    if (
      typeof answer === 'object' &&
      answer !== null &&
      'projectId' in answer &&
      typeof answer.projectId === 'string'
    )
      return answer.projectId
    throw new StepwellError('expected `projectId` in the answer of the service', {
      code: 'NETWORK',
    })
  }
  return {
    /** The id of the project that the API key belongs to. */
    getProjectId,
    /** The id of the project that the API key belongs to; `getProjectId` in the other spelling. */
    get_my_project_id: getProjectId,
  }
}
