import Foundation
import Testing

/// Programs called sbatch, squeue and scancel, which know as much of Slurm as a supply asks for.
///
/// Each job is a directory. It runs at once, or waits as long as ``isFull``.
struct FakeSlurm {
    private let folder: URL

    /// Writes the programs below the directory of a test.
    ///
    /// A process of its own makes the executable files: a process that another test starts meanwhile would have a file open for a moment
    /// that was written here, and execve(2) refuses such a file (ETXTBSY).
    init(for cluster: TestCluster) async throws {
        folder = cluster.home.appending(path: "slurm")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        for (name, script) in Self.programs {
            let text = "#!/bin/sh\nd=$(dirname \"$0\")\n" + Self.start + script
            try Data(text.utf8).write(to: folder.appending(path: name + ".text"))
        }
        let script = "cd slurm && for file in *.text; do cp $file ${file%.text} && chmod 755 ${file%.text}; done"
        try #require(try await cluster.start(script: script).end() == 0)
    }

    /// The variables with which a command finds the programs.
    var environment: [String: String] {
        ["PATH": folder.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")]
    }

    /// Whether jobs wait.
    var isFull: Bool {
        get { has("full") }
        nonmutating set { set("full", newValue ? "" : nil) }
    }

    /// Whether slurmctld does not answer.
    var isAway: Bool {
        get { has("away") }
        nonmutating set { set("away", newValue ? "" : nil) }
    }

    /// Has sbatch refuse each job with an error.
    func refuse(_ error: String) { set("refusal", error) }

    /// The state of a job.
    func state(of job: Int) -> String { read("job-\(job)/state").trimmingCharacters(in: .whitespacesAndNewlines) }

    /// The number of jobs that were submitted.
    var count: Int { Int(read("last").trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 }

    /// What a job has printed.
    func output(of job: Int) -> String { read("job-\(job)/output") }

    /// The words of the last sbatch, one a line.
    var lastWords: [String] { read("words").split(separator: "\n").map(String.init) }

    private func has(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: name).path)
    }

    private func set(_ name: String, _ text: String?) {
        let file = folder.appending(path: name)
        if let text { try? Data(text.utf8).write(to: file) } else { try? FileManager.default.removeItem(at: file) }
    }

    private func read(_ name: String) -> String {
        (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
    }

    /// What each program does first.
    private static let start = """
        if [ -e "$d/away" ]; then
          echo "$(basename "$0"): error: Unable to contact slurm controller (connect failure)" >&2
          exit 1
        fi

        """

    private static let programs = [
        "sbatch": """
        printf '%s\\n' "$@" > "$d/words"
        if [ -e "$d/refusal" ]; then
          echo "sbatch: error: $(cat "$d/refusal")" >&2
          exit 1
        fi
        for word; do
          case $word in
            --test-only) exit 0 ;;
            --comment=*) comment=${word#*=} ;;
            --wrap=*) line=${word#*=} ;;
          esac
        done
        id=$(($(cat "$d/last" 2>/dev/null || echo 0) + 1))
        job=$d/job-$id
        mkdir "$job"
        echo "$comment" > "$job/comment"
        if [ -e "$d/full" ]; then
          echo PENDING > "$job/state"
        else
          echo RUNNING > "$job/state"
          # Who started sbatch ends the processes of its group afterwards: the job has left it by then.
          mkfifo "$job/begun"
          SLURM_JOB_ID=$id setsid sh -c '
            echo > "$0/begun"
            if sh -c "$1"; then state=COMPLETED; else state=FAILED; fi
            echo $state > "$0/new" && mv "$0/new" "$0/state"
          ' "$job" "$line" > "$job/output" 2>&1 < /dev/null &
          read -r _ < "$job/begun"
        fi
        echo "$id" > "$d/last"
        echo "$id"

        """,
        "squeue": """
        for job in "$d"/job-*; do
          [ -d "$job" ] || continue
          state=$(cat "$job/state")
          reason=None
          [ "$state" != PENDING ] || reason=Resources
          echo "${job##*-}|$state|$reason|$(cat "$job/comment")"
        done

        """,
        "scancel": """
        for word; do
          [ -d "$d/job-$word" ] || continue
          [ "$(cat "$d/job-$word/state")" != PENDING ] || echo CANCELLED > "$d/job-$word/state"
        done

        """,
    ]
}
