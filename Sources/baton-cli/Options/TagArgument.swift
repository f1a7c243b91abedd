@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// Tags in the notation of the command line: `--tag project=x`.
enum TagArgument {
    /// The help of the option.
    static let help = ArgumentHelp(
        "Tag of the job, key=value, by which 'baton list --tag' finds it; can be given several times.",
        valueName: "tag"
    )

    /// Reads a tag.
    static func read(_ text: String) throws(ValidationError) -> JobTag {
        do throws(Refusal) {
            return try JobTag(text)
        } catch {
            throw ValidationError(error.message)
        }
    }

    /// Throws an error if a key is given twice, because the last value would silently replace the first.
    static func check(_ tags: [JobTag]) throws(ValidationError) {
        var seen: Set<String> = []
        for tag in tags where !seen.insert(tag.key).inserted {
            throw ValidationError("The tag \"\(tag.key.asShown)\" is given twice, and a job has one value of it.")
        }
        guard tags.count <= JobTag.maximumCount else {
            throw ValidationError("Give at most \(JobTag.maximumCount) tags.")
        }
    }
}

extension [JobTag] {
    /// The values by key.
    var values: [String: String] { Dictionary(map { ($0.key, $0.value) }) { $1 } }
}
