@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonThreads
import CBatonLine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

// A line of make below with-job needs nothing of the rest.
cline_run(CommandLine.argc, CommandLine.unsafeArgv)
Surroundings.fillStandardDescriptors()
for number in Surroundings.ignoredSignals { signal(number, SIG_IGN) }
// Ctrl-\ ends the process. The Swift runtime takes the signal for a crash where its debugging helper is installed.
if !SignalWatcher.isIgnored(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
// The tasks of all commands, of the coordinator and of the worker run on threads of this program.
TaskThreads.takeTasks()
Task.detached { await CommandRunner.run(bytes: Surroundings.arguments).endProcess() }
// The end of the command ends the process.
while true { pause() }
