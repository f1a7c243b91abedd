@_spi(Baton) import BatonOperations
import Testing

@Suite struct CommandShellTests {
    @Test func `A shell is a program with its options, and the line comes behind them`() throws {
        let shell = try CommandShell(" bash  -euo pipefail -c ")
        #expect(shell.words == ["bash", "-euo", "pipefail", "-c"])
        #expect(shell.command("a | b") == ["bash", "-euo", "pipefail", "-c", "a | b"])
        #expect(CommandShell.standard.command("a") == ["/bin/sh", "-c", "a"])
        #expect(try CommandShell(words: ["/opt/my shell", "run"]).command("a") == ["/opt/my shell", "run", "a"])
        #expect(try CommandShell("bash -ec").words == ["bash", "-ec"])
    }

    @Test(arguments: [
        ("", "The shell is empty."), ("  ", "The shell is empty."), ("bash", "Let its last option be -c"),
        ("bash -euo pipefail", "Let its last option be -c"), ("/bin/sh -e", "Let its last option be -c"),
        ("bash --norc", "Let its last option be -c"), ("bash -o 'a b' -c", "quotes and backslashes have no meaning"),
        ("bash\0 -c", "has a NUL in it"),
    ])
    func `What cannot be a shell is refused with a sentence`(text: String, sentence: String) throws {
        let refusal = #expect(throws: Refusal.self) { try CommandShell(text) }
        #expect(refusal?.code == .invalid && refusal?.message.contains(sentence) == true, "\(refusal as Any)")
    }

    @Test func `A shell takes the place of the standard one, and leaves other commands`() throws {
        let shell = try CommandShell("bash -e -c")
        #expect(shell.replacingStandard(in: ["/bin/sh", "-c", "a"]) == ["bash", "-e", "-c", "a"])
        let words = ["/bin/sh", "-c", "a", "sh", "1"]
        #expect(shell.replacingStandard(in: words) == ["bash", "-e", "-c", "a", "sh", "1"])
        for other in [["/bin/sh", "-c"], ["/bin/sh", "-e", "a"], ["dash", "-c", "a"], ["true"]] {
            #expect(shell.replacingStandard(in: other) == other)
        }
    }

    @Test func `The items of an array are parameters of another shell, too`() throws {
        let shell = try CommandShell("/usr/bin/bash -e -c")
        let words = ShellLine.words("echo {} | cat", columns: [], shell: shell)
        #expect(words == ["/usr/bin/bash", "-e", "-c", "echo \"${1}\" | cat", "bash", "{}"])
    }
}
