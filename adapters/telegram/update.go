package telegram

import (
	"encoding/json"

	"github.com/go-telegram/bot/models"
)

// update.go is as much of an update as we read. The library's own types cover
// everything, and so fail on a whole message for one reaction or background of
// a kind that came after them; these do not.

type update struct {
	ID      int64         `json:"update_id"`
	Message *message      `json:"message"`
	Edited  *message      `json:"edited_message"`
	Press   *press        `json:"callback_query"`
	Inline  *inlineQuery  `json:"inline_query"`
	Member  *memberChange `json:"my_chat_member"`
}

// message is https://core.telegram.org/bots/api#message.
type message struct {
	ID          int             `json:"message_id"`
	Thread      int             `json:"message_thread_id"`
	InTopic     bool            `json:"is_topic_message"` // else Thread only marks a chain of replies
	From        *models.User    `json:"from"`
	SenderChat  *models.Chat    `json:"sender_chat"` // an anonymous admin or a channel wrote it
	Chat        models.Chat     `json:"chat"`
	Date        int64           `json:"date"` // Unix time; 0: Telegram does not show the message any more
	EditDate    int64           `json:"edit_date"`
	ReplyTo     *message        `json:"reply_to_message"`
	ViaBot      *models.User    `json:"via_bot"`
	AutoForward bool            `json:"is_automatic_forward"` // a channel's post in its discussion group
	Text        string          `json:"text"`
	Entities    []entity        `json:"entities"`
	Caption     string          `json:"caption"`
	CaptionEnts []entity        `json:"caption_entities"`
	Album       string          `json:"media_group_id"`
	Document    *document       `json:"document"`
	MovedTo     int64           `json:"migrate_to_chat_id"`
	MovedFrom   int64           `json:"migrate_from_chat_id"`
	Photo       json.RawMessage `json:"photo"`
	Voice       json.RawMessage `json:"voice"`
	Audio       json.RawMessage `json:"audio"`
	Video       json.RawMessage `json:"video"`
	VideoNote   json.RawMessage `json:"video_note"`
	Animation   json.RawMessage `json:"animation"`
	Sticker     json.RawMessage `json:"sticker"`
	Contact     json.RawMessage `json:"contact"`
	Location    json.RawMessage `json:"location"`
	Poll        json.RawMessage `json:"poll"`
	Dice        json.RawMessage `json:"dice"`
	Story       json.RawMessage `json:"story"`
}

// entity is a special part of a text. Offset and Length count UTF-16 units.
type entity struct {
	Type   models.MessageEntityType `json:"type"`
	Offset int                      `json:"offset"`
	Length int                      `json:"length"`
	User   *models.User             `json:"user"` // of a text_mention
}

type document struct {
	FileID string `json:"file_id"`
	Name   string `json:"file_name"`
	Mime   string `json:"mime_type"`
	Size   int64  `json:"file_size"` // bytes, where Telegram knows it
}

// press is a tap on a button.
type press struct {
	ID      string      `json:"id"`
	From    models.User `json:"from"`
	Message *message    `json:"message"` // nil under a message posted by inline mode
	Data    string      `json:"data"`
}

type inlineQuery struct {
	ID    string      `json:"id"`
	From  models.User `json:"from"`
	Query string      `json:"query"`
}

// memberChange tells that we were let in or thrown out.
type memberChange struct {
	Chat models.Chat `json:"chat"`
	New  struct {
		Status   string `json:"status"`
		IsMember bool   `json:"is_member"` // of a restricted one
	} `json:"new_chat_member"`
}

func (m *message) private() bool { return m.Chat.Type == models.ChatTypePrivate }

// thread is the topic that the message belongs to, 0 for none.
func (m *message) thread() int {
	if m.InTopic {
		return m.Thread
	}
	return 0
}

// anonymous reports whether a shared identity wrote the message.
func (m *message) anonymous() bool { return m.SenderChat != nil }

// writer is the id of who wrote the message: a user's, or that of the chat in
// whose name somebody wrote; 0 for nobody.
func (m *message) writer() int64 {
	switch {
	case m.SenderChat != nil:
		return m.SenderChat.ID
	case m.From != nil:
		return m.From.ID
	}
	return 0
}

// unread reports whether the message holds something that we cannot read.
func (m *message) unread() bool {
	for _, content := range []json.RawMessage{m.Photo, m.Voice, m.Audio, m.Video, m.VideoNote, m.Animation,
		m.Sticker, m.Contact, m.Location, m.Poll, m.Dice, m.Story} {
		if len(content) > 0 {
			return true
		}
	}
	return false
}
