import { createPrivateDirectory } from '../../../storage/private-directory.ts';
import { packageRoot } from '../../../daemon/version-info.ts';
import { findService, type FoundService } from '../../../service-files/choose-platform.ts';
import { thisHost, type ServiceHost } from '../../../service-files/service-host.ts';
import { writeFileAtomic } from '../../../storage/atomic-file.ts';

/** The machine and user of this process, and this program on it. */
export function localHost(): ServiceHost {
  return thisHost({
    root: packageRoot(),
    makeDirectory: createPrivateDirectory,
    writeFile: writeFileAtomic,
  });
}

/** The daemon's service on this machine; changes nothing. */
export function findLocalService(): Promise<FoundService | undefined> {
  return findService(localHost());
}
