@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging

/// Takes the table of keys in the record over into the key directory of this coordinator, whose gate notices the change.
///
/// One thread at a time uses it.
struct KeyTableCopies {
    private let directory: KeyDirectory
    private let logger: Logger
    /// The last sealed table that was handled.
    private var last: String?
    /// The failure that is in the log already.
    private var trouble: String?

    /// Nil for a coordinator without keys.
    init?(_ options: CoordinatorOptions) {
        guard let keys = options.keys else { return nil }
        directory = keys
        logger = options.logger
    }

    /// Takes over a sealed table; nil stands for a record without one.
    ///
    /// After a failure, the next call tries again.
    mutating func take(_ text: String?) {
        guard let text, text != last else { return }
        do throws(KeyError) {
            let adoption = try directory.adopt(sealedTable: text)
            last = text
            tell(of: adoption)
        } catch {
            tell("the table of keys in the record cannot be taken over", because: error.message)
        }
    }

    private mutating func tell(of adoption: KeyTableAdoption) {
        switch adoption {
        case .same: trouble = nil
        case .ahead:
            trouble = nil
            logger.notice(
                "the table of keys here has changes that the record lacks: they count once this coordinator leads"
            )
        case .adopted:
            trouble = nil
            logger.notice("took over the table of keys in the record")
        case .diverged:
            tell(
                "the table of keys in the record is another one than that of this coordinator: only its revocations count",
                because:
                    "keys were authorized on two hosts; have one of them join again with \"baton join --role coordinator\""
            )
        case .refused:
            tell(
                "the table of keys in the record is ignored",
                because: "it was not written by a coordinator with this key, or cannot be read"
            )
        }
    }

    private mutating func tell(_ event: Logger.Message, because reason: String) {
        guard trouble != reason else { return }
        trouble = reason
        logger.error(event, metadata: ["directory": "\(directory.path)", "reason": "\(reason)"])
    }
}
