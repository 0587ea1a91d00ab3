import type { GeodataStatus } from '../../../model/geodata.ts';
import { asRecord, type Operation } from '../operation.ts';
import type { CancelAnswer, InstallAnswer } from '../types.ts';

const installPath = '/api/geodata/install';

/** `getGeodataStatus()` */
export function loadGeodataStatus(): Operation<GeodataStatus> {
  return {
    method: 'GET',
    path: '/api/geodata',
    read: (value) => asRecord<GeodataStatus>(value) as GeodataStatus | undefined,
    succeeded: (status) => [['geodataStatusFetched', status]],
    failed: (message) => ['geodataStatusFailed', message],
  };
}

/** `installGeodata(id)`: a generation of the status's `available` list. */
export function installGeneration(id: string): Operation<InstallAnswer> {
  return {
    method: 'POST',
    path: installPath,
    body: { generation_id: id },
    read: (value) => ({ status: 'accepted', ...asRecord<InstallAnswer>(value) }),
    succeeded: () => [['geodataInstallAccepted', id]],
    failed: (message) => ['geodataInstallFailed', id, message],
  };
}

/** `cancelGeodataInstall()` */
export function cancelInstall(): Operation<CancelAnswer> {
  return {
    method: 'DELETE',
    path: installPath,
    read: () => ({ status: 'cancelling' }),
    succeeded: () => [['geodataCancelAccepted']],
    failed: (message) => ['geodataCancelFailed', message],
  };
}
