import { marker, xmlText, type ServiceProgram } from '../service-program.ts';
import { commandLine, refuseVariables } from './command-line.ts';

/**
 * Renders the definition of a task that runs a program while a user (`DOMAIN\name`) is logged on, for `schtasks /Create /XML`; the file has to be UTF-16 with a byte order mark.
 * It needs no administrator and runs with the rights of its user, in their profile.
 *
 * - conhost --headless: a task of a logged-on user would else have a console window, and closing that ends the daemon.
 * - Repetition: RestartOnFailure is about tasks that could not be started; a program that has failed counts as done. So
 *   every five minutes it is started again unless it runs (IgnoreNew).
 * - PT0S: without it a task is ended after three days.
 * - Priority 6 is an ordinary process; the default of tasks, 7, is slowed down.
 */
export function renderLogonTask(task: ServiceProgram & { readonly user: string }): string {
  const words = [task.node, ...task.words];
  words.forEach(refuseVariables);
  return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.3" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Author>${xmlText(task.user)}</Author>
    <Description>${xmlText(task.title)}. ${xmlText(marker)}.</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Repetition>
        <Interval>PT5M</Interval>
        <StopAtDurationEnd>false</StopAtDurationEnd>
      </Repetition>
      <Enabled>true</Enabled>
      <UserId>${xmlText(task.user)}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${xmlText(task.user)}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <AllowHardTerminate>true</AllowHardTerminate>
    <StartWhenAvailable>true</StartWhenAvailable>
    <RunOnlyIfNetworkAvailable>false</RunOnlyIfNetworkAvailable>
    <IdleSettings>
      <StopOnIdleEnd>false</StopOnIdleEnd>
      <RestartOnIdle>false</RestartOnIdle>
    </IdleSettings>
    <AllowStartOnDemand>true</AllowStartOnDemand>
    <Enabled>true</Enabled>
    <Hidden>false</Hidden>
    <RunOnlyIfIdle>false</RunOnlyIfIdle>
    <WakeToRun>false</WakeToRun>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>6</Priority>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>5</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>%SystemRoot%\\System32\\conhost.exe</Command>
      <Arguments>--headless ${xmlText(commandLine(words))}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
}
