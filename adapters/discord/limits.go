package discord

import "time"

// What Discord allows. Lengths are in characters; we count UTF-16 units, which
// are never fewer.
const (
	// https://docs.discord.com/developers/resources/message#create-message
	maxContent = 2000
	maxEmbeds  = 10
	maxNonce   = 25

	// https://docs.discord.com/developers/resources/message#embed-object-embed-limits
	maxEmbedTitle       = 256
	maxEmbedDescription = 4096
	maxEmbedFields      = 25
	maxFieldName        = 256
	maxFieldValue       = 1024
	maxEmbedsTotal      = 6000 // over all embeds of a message

	// https://docs.discord.com/developers/components/reference
	maxRows          = 5
	maxButtons       = 5 // in a row
	maxButtonLabel   = 80
	maxSelectOptions = 25
	maxOptionLabel   = 100
	maxPlaceholder   = 150
	maxCustomID      = 100

	// https://docs.discord.com/developers/components/reference#text-input
	maxInput       = 4000
	maxInputLabel  = 45
	maxModalTitle  = 45
	maxInputHint   = 100
	maxChoiceName  = 100
	maxChoiceValue = 100

	// https://docs.discord.com/developers/interactions/application-commands
	maxCommandName = 32
	maxCommandText = 100 // description of a command or an option
	maxOptions     = 25
	maxChoices     = 25 // of an option, and of an autocompletion

	// https://docs.discord.com/developers/topics/rate-limits
	globalPerSecond = 50
	invalidLimit    = 10_000 // answers 401, 403 and 429 that lead to a ban
	invalidWindow   = 10 * time.Minute

	// https://docs.discord.com/developers/interactions/receiving-and-responding
	firstAnswer = 3 * time.Second
	tokenLives  = 15 * time.Minute
)

// What we allow ourselves.
const (
	maxPaste     = 1 << 20 // bytes of an attached file that is read
	maxBody      = 1 << 20 // bytes of an interaction that comes over HTTP
	maxSkew      = 5 * time.Minute
	maxShownRef  = 64         // bytes of a Choice.Ref that fit a custom_id beside the rest
	buttonsUpTo  = maxButtons // choices shown as buttons; more become a menu
	deferAfter   = 1500 * time.Millisecond
	shutdownTime = 5 * time.Second // for turns that are under way
)
