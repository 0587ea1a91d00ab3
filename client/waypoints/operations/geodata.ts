import type { GeodataStatus } from '../../../model/geodata.ts';
import { asRecord, operation } from '../operation.ts';
import type { CancelAnswer, InstallAnswer } from '../types.ts';

export function getGeodataStatus() {
  return operation<GeodataStatus>()({
    call: 'GET /api/geodata',
    succeeded: (status) => [['geodataStatusFetched', status]],
    failed: (message) => ['geodataStatusFailed', message],
  });
}

/** Starts the install of a generation of the status's `available` list; its progress is in the status. */
export function installGeodata(id: string) {
  return operation<InstallAnswer>()({
    call: 'POST /api/geodata/install',
    body: { generation_id: id },
    read: (value) => ({ status: 'accepted', ...asRecord<Partial<InstallAnswer>>(value) }),
    succeeded: () => [['geodataInstallAccepted', id]],
    failed: (message) => ['geodataInstallFailed', id, message],
  });
}

export function cancelGeodataInstall() {
  return operation<CancelAnswer>()({
    call: 'DELETE /api/geodata/install',
    read: () => ({ status: 'cancelling' }),
    succeeded: () => [['geodataCancelAccepted']],
    failed: (message) => ['geodataCancelFailed', message],
  });
}
